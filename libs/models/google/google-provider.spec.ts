import { googleWire } from '../../../test/fakes/wires/google-wire.js';
import { KEY } from '../../../test/fakes/hostile-model-server.js';
import { modelContract } from '../../../test/model-contract.js';
import { GoogleProvider } from './google-provider.js';

modelContract('google', { wire: googleWire, provider: (options) => new GoogleProvider({ apiKey: KEY, ...options }) });
