import js from "@eslint/js";
import compat from "eslint-plugin-compat";
import globals from "globals";

const PAGES = ["device/web/ui/**/*.js", "device/web/features/**/*.js"];
const FOUNDRY = ["device/web/features/foundry/module/**/*.js"];

/** @param {string} files @param {string} path */
const without = (files, path) => ({
  files: [files],
  rules: {
    "no-restricted-syntax": [
      "error",
      {
        selector: `:matches(ImportDeclaration, ExportNamedDeclaration, ImportExpression) > Literal[value=/${path}/]`,
        message: "scripts of more than one feature lie in ui.",
      },
    ],
  },
});

export default [
  { ignores: ["device/web/ui/lib/vendor/**"] },
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
  { files: PAGES, ignores: FOUNDRY, languageOptions: { globals: globals.browser } },
  // A feature imports its own scripts and those of ui; ui imports no feature.
  without("device/web/ui/**/*.js", "\\/features\\/"),
  without("device/web/features/*/*.js", "^\\.\\.\\/(?!\\.\\.\\/ui\\/)"),
  without("device/web/features/*/{components,lib}/*.js", "^\\.\\.\\/\\.\\.\\/(?!\\.\\.\\/ui\\/)"),
  // What the pages run in, as lib/too-old.js says it; lib/older.js gives the polyfills.
  {
    files: PAGES,
    ignores: FOUNDRY,
    ...compat.configs["flat/recommended"],
    settings: {
      targets: ["chrome >= 92", "edge >= 92", "firefox >= 98", "safari >= 15.4", "ios_saf >= 15.4"],
      // SharedWorker, Notification: lib/link.js and lib/wake.js do without.
      polyfills: ["AbortSignal.timeout", "Notification", "SharedWorker"],
    },
  },
  {
    files: ["device/web/ui/lib/too-old.js"],
    languageOptions: { ecmaVersion: 5, sourceType: "script" },
    rules: { "no-var": "off", "prefer-template": "off" },
  },
  { files: ["device/web/ui/lib/shared-stream.js"], languageOptions: { globals: globals.worker } },
  {
    files: ["device/web/ui/lib/theme.js", "device/web/ui/lib/older.js"],
    languageOptions: { sourceType: "script" },
  },
  // What Foundry VTT gives to its modules.
  {
    files: FOUNDRY,
    languageOptions: {
      globals: {
        ...globals.browser,
        CONFIG: "readonly",
        ChatMessage: "readonly",
        Hooks: "readonly",
        game: "readonly",
        ui: "readonly",
      },
    },
  },
  {
    files: ["tests/web/static/**/*.js", "tests/web/foundry/**/*.js", ".ci/pages/*.js"],
    languageOptions: { globals: globals.node },
  },
  // What tests/web/static/browser.js gives to the modules, and to their tests.
  {
    files: ["tests/web/static/**/*.js"],
    languageOptions: { globals: { document: "readonly", Element: "readonly", HTMLElement: "readonly" } },
  },
];
