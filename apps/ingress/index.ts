export { startIngress, type RunningIngress } from './start-ingress.js';
