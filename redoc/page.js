// Starts ReDoc on the document beside this page. No inline script: the page is served with a strict
// Content-Security-Policy.
"use strict";

const options = {
  hideDownloadButtons: true, // the bar on top links to the document
  maxDisplayedEnumValues: 8, // the types of events are 144
  nativeScrollbars: true,
  theme: { typography: { fontFamily: "sans-serif", headings: { fontFamily: "sans-serif" } } },
};

Redoc.init("openapi.json", options, document.getElementById("reading-view"));
