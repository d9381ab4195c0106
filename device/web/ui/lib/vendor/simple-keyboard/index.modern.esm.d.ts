export { default } from "simple-keyboard";
