import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["device/web/static/lib/vendor/**"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "array-callback-return": "error",
      "default-case-last": "error",
      eqeqeq: "error",
      "no-console": "error",
      "no-else-return": "error",
      "no-eval": "error",
      "no-implicit-coercion": "error",
      "no-implied-eval": "error",
      "no-lonely-if": "error",
      "no-new-func": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "render a template (lib/vendor/lit-html)." },
        { property: "replaceChildren", message: "render a template (lib/vendor/lit-html)." },
      ],
      "no-self-compare": "error",
      "no-unmodified-loop-condition": "error",
      "no-unneeded-ternary": "error",
      "no-unused-vars": ["error", { args: "after-used" }],
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-useless-concat": "error",
      "no-useless-return": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      yoda: "error",
    },
  },
  { files: ["device/web/static/**/*.js"], languageOptions: { globals: globals.browser } },
  { files: ["device/web/static/lib/shared-stream.js"], languageOptions: { globals: globals.worker } },
  { files: ["device/web/static/lib/theme.js", "device/web/static/lib/older.js"], languageOptions: { sourceType: "script" } },
  // What Foundry VTT gives to its modules.
  { files: ["device/web/foundry/**/*.js"], languageOptions: { globals: { ...globals.browser, CONFIG: "readonly", ChatMessage: "readonly", Hooks: "readonly", game: "readonly", ui: "readonly" } } },
  { files: ["tests/web/static/**/*.js", "tests/web/foundry/**/*.js", ".ci/pages/*.js"], languageOptions: { globals: globals.node } },
  // What tests/web/static/browser.js gives to the modules, and to their tests.
  { files: ["tests/web/static/**/*.js"], languageOptions: { globals: { document: "readonly", Element: "readonly", HTMLElement: "readonly" } } },
];
