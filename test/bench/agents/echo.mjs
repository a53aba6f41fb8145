export { default } from '../../../dist/agents/echo.js';
