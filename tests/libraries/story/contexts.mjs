// Who asks: some who are special, and a crowd. Values are texts, as all client libraries take them.

const countries = ['AT', 'CH', 'DE', 'FR', 'Zürich, CH', 'at', 'quo"te'];
const emails = [
  'eve@shop.example',
  'EVE@SHOP.EXAMPLE',
  'bob@mail.example',
  'shop@elsewhere.example',
  'Straße@shop.example',
];
const prices = ['10', '9.99', '10.0', '-3', '1e2', '11', 'cheap', '10000000', '0'];
const versions = [
  '1.2.3',
  '1.2.4',
  '1.2.2',
  '1.3.0-rc.1',
  '1.2.3+build.5',
  '2.0.0',
  '1.10.0',
  '1.2',
  'v1.2.3',
  '1.2.3-beta',
  'new',
];
const times = [
  '2026-01-15T12:00:00.000Z',
  '2026-01-15T11:59:59.999Z',
  '2026-01-15T12:00:00.001Z',
  '2027-06-01T00:00:00Z',
  '2026-01-15T13:00:00.000+01:00',
];
const addresses = ['10.1.2.3', '192.168.7.9', '203.0.113.5', '2001:db8::1', '172.16.0.1', '2001:db8:5::9'];
const cities = ['Graz', 'Bern', 'Lyon'];

const crowd = Array.from({ length: 30 }, (_, index) => {
  const pick = (values) => values[index % values.length];
  return [
    `customer ${index}`,
    {
      userId: `${1000 + index * 37}`,
      sessionId: `session-${index}`,
      remoteAddress: pick(addresses),
      currentTime: pick(times),
      properties: {
        country: pick(countries),
        email: pick(emails),
        price: pick(prices),
        appVersion: pick(versions),
        basketId: `basket-${index * 13}`,
        city: pick(cities),
      },
    },
  ];
});

const special = {
  'somebody unknown': {},
  'a session alone': { sessionId: 'session-77' },
  'a user alone': { userId: '4711' },
  'a basket alone': { properties: { basketId: 'basket-5' } },
  'empty texts': {
    userId: '',
    sessionId: '',
    properties: { country: '', email: '', price: '', appVersion: '', basketId: '' },
  },
  'blanks around': {
    userId: ' ada ',
    sessionId: 'session-1',
    properties: { country: ' AT', price: ' 10 ', appVersion: ' 1.2.3' },
  },
  ada: {
    userId: 'ada',
    sessionId: 'session-2',
    remoteAddress: '192.168.7.255',
    properties: { country: 'AT', price: '10' },
  },
  ben: {
    userId: 'ben',
    sessionId: 'session-3',
    remoteAddress: '10.255.255.255',
    properties: { country: 'DE', city: 'Bern' },
  },
  carol: {
    userId: 'carol',
    sessionId: 'session-4',
    remoteAddress: '2001:db8::1',
    properties: { email: 'carol@shop.example' },
  },
  'Ada in capitals': { userId: 'ADA', sessionId: 'session-5' },
  'ünï çødé': {
    userId: 'Ærøskøbing 🛒',
    sessionId: '会话',
    properties: { country: 'Zürich, CH', email: 'ÉVE@shop.example', basketId: '篮子' },
  },
  'a long name': { userId: 'u'.repeat(300), sessionId: 's'.repeat(300), properties: { basketId: 'b'.repeat(300) } },
};

/** Contexts by name, as client libraries take them: nested, with `properties`. */
export const contexts = new Map([...Object.entries(special), ...crowd]);

/** The value of a context's field; undefined when it has none. */
export const valueOf = (context, field) => context[field] ?? context.properties?.[field];
