export { RequestLimiter } from './request-limiter.js';
