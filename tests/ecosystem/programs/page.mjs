// A page without a browser, for libraries that need one.

import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><div id="app"></div>', { url: 'https://shop.example.com/' });
for (const name of ['window', 'document', 'navigator', 'localStorage', 'HTMLElement', 'Element', 'SVGElement', 'Node']) {
  Object.defineProperty(globalThis, name, { value: name === 'window' ? window : window[name], configurable: true });
}

/** Where a library shows what it renders. */
export const place = window.document.querySelector('#app');
