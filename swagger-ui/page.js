// Starts Swagger UI on the document beside this page. No inline script: the page is served with a strict
// Content-Security-Policy.
"use strict";

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const followColourScheme = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", followColourScheme);
followColourScheme();

// A script may not set cookies on requests: the session of somebody who signed in is sent anyway, and asking for it
// in the Authorize window would only hide the tokens.
const withoutCookies = {
  statePlugins: {
    auth: {
      wrapSelectors: {
        definitionsToAuthorize: (original) => (...given) =>
          original(...given)?.filter((schemes) => schemes.every((scheme) => scheme.get("in") !== "cookie")),
      },
    },
  },
};

// The page fills in the examples of parameters, also where nothing need be given: a search would be narrowed by every
// filter, and a change refused because of an `If-Match` from the document. Those examples become words instead.
const withoutFilledInOptions = {
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => {
          const operations = Object.values(document.paths ?? {}).flatMap((item) => Object.values(item));
          const parameters = operations.flatMap((operation) => operation.parameters ?? []);
          parameters.filter((parameter) => !parameter.required).forEach(describeExample);
          return original(document);
        },
      },
    },
  },
};

const describeExample = (parameter) => {
  const holders = [parameter, parameter.schema, parameter.schema?.items].filter((holder) => holder?.example != null);
  for (const holder of holders) {
    parameter.description = `${parameter.description ?? ""}\n\nExample: \`${holder.example}\``;
    delete holder.example;
  }
};

window.ui = SwaggerUIBundle({
  dom_id: "#swagger-ui",
  url: "../openapi.json",
  layout: "BaseLayout", // the top bar of the other layout only lets one open documents of other servers
  plugins: [withoutCookies, withoutFilledInOptions],
  deepLinking: true,
  filter: true,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  persistAuthorization: true,
  queryConfigEnabled: false, // a link must not be able to point this page, and its stored token, elsewhere
  validatorUrl: null, // the default sends the document's address to a public service
});
