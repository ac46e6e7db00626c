import { dialectContract } from '../../../test/dialect-kit.js';
import { plainDialect } from './plain.dialect.js';

dialectContract('plain text', plainDialect, (body) => ({ text: body, code: '' }), 1600);
