export { pubSubOptions } from './any-node.connector.js';
export { connect, mastersOf, type ConnectionRole, type RedisClient } from './connection.js';
export { Keyspace, type Bucket } from './keyspace.js';
export { loadScript, type Script } from './script.js';
export { Replication, type Durability } from './replication.js';
export { redisTime } from './redis-time.js';
export { RedisMemory } from './redis-memory.js';
export { Subscriptions } from './subscriptions.js';
export { untilReady } from './until-ready.js';
