export { IngressModule } from './ingress.module.js';
export { startIngress, type RunningIngress } from './start-ingress.js';
