/** Context fields that the server must know before a constraint or stickiness may name them. */
export const fields = [
  { name: 'country', description: 'Where the customer is' },
  { name: 'email', description: 'Address of the customer' },
  { name: 'price', description: 'What is in the basket, in euros' },
  { name: 'appVersion', description: 'Version of the shop that the customer has' },
  { name: 'basketId', description: 'The basket', stickiness: true },
  { name: 'remoteAddress', description: 'Where the request came from' },
];

/** Segments by a name that the flags refer to. */
export const segments = {
  alps: [{ contextName: 'country', operator: 'IN', values: ['AT', 'CH'] }],
  staff: [{ contextName: 'email', operator: 'STR_ENDS_WITH', values: ['@SHOP.example'], caseInsensitive: true }],
  notCheap: [
    { contextName: 'price', operator: 'NUM_GTE', value: '10' },
    { contextName: 'country', operator: 'IN', values: ['AT'], inverted: true },
  ],
  moving: [{ contextName: 'userId', operator: 'IN', values: ['nobody'] }],
};

/** A strategy type that only the programs know: on for customers of one city. */
export const ownStrategy = {
  name: 'cityShop',
  description: 'On for the customers of one city',
  parameters: [{ name: 'city', type: 'string', description: 'The city', required: true }],
};
