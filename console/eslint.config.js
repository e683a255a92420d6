import a11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
import typescript from "typescript-eslint";

const elsewhere =
  "Only src/api/client.ts speaks to the server, so that every call is in the document, shown and recorded.";

const clock = "The reader's clock may be wrong: serverTime() of src/api/clock.ts is the server's.";

export default typescript.config(
  { ignores: ["dist", "src/api/generated", "node_modules", "public"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [typescript.configs.recommendedTypeChecked, a11y.flatConfigs.recommended],
    plugins: { "react-hooks": hooks },
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      ...hooks.configs.recommended.rules,
      "max-lines": ["error", 300],
      "no-restricted-globals": [
        "error",
        ...["fetch", "XMLHttpRequest", "EventSource", "WebSocket", "sessionStorage"].map((name) => ({
          name,
          message: elsewhere,
        })),
      ],
      "no-restricted-properties": ["error", { object: "navigator", property: "sendBeacon", message: elsewhere }],
      "no-restricted-syntax": [
        "error",
        ...[
          "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          "NewExpression[callee.name='Date'][arguments.length=0]",
          "CallExpression[callee.name='dayjs'][arguments.length=0]",
        ].map((selector) => ({ selector, message: clock })),
      ],
      "@typescript-eslint/no-non-null-assertion": "off",
      // A region that scrolls must be reached by keyboard.
      "jsx-a11y/no-noninteractive-tabindex": ["error", { tags: [], roles: ["region"], allowExpressionValues: true }],
    },
  },
  { files: ["src/api/*.ts"], rules: { "no-restricted-syntax": "off" } },
  // It reads the console's own page, which is no operation.
  { files: ["src/api/bundle.ts"], rules: { "no-restricted-globals": "off" } },
  {
    files: ["src/**/*.{ts,tsx}"],
    ignores: ["src/api/client.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { paths: [{ name: "openapi-fetch", message: elsewhere, allowTypeImports: true }] },
      ],
    },
  },
);
