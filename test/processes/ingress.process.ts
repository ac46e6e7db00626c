import { armCheckpoints } from './arm-checkpoints.js';

armCheckpoints();
await import('../../apps/ingress/main.js');
