export { connect, type ConnectionRole, type RedisClient } from './connection.js';
export { Keyspace, type Bucket } from './keyspace.js';
export { loadScript, type Script } from './script.js';
export { RedisMemory } from './redis-memory.js';
export { Subscriptions } from './subscriptions.js';
