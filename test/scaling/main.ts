import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { FIGURES_FILE, measuredFigures } from './figures.js';
import { measure } from './measure.js';
import { scalingRules } from './scaling-rule.js';
import { report } from './scaling-report.js';
import { simulate } from './simulate.js';
import { ORDINARY_DAY } from './traffic-day.js';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    measure: { type: 'boolean', default: false },
    peak: { type: 'string', default: String(ORDINARY_DAY.peakPerS) },
    'turn-seconds': { type: 'string', default: String(ORDINARY_DAY.turnMedianS) },
  },
});
if (values.measure) {
  const figures = await measure((line) => process.stderr.write(`${line}\n`));
  writeFileSync(FIGURES_FILE, `${JSON.stringify(figures, undefined, 2)}\n`);
}
const number = z.coerce.number().positive();
const day = { ...ORDINARY_DAY, peakPerS: number.parse(values.peak), turnMedianS: number.parse(values['turn-seconds']) };
const input = { rule: scalingRules().runner, figures: measuredFigures(), day };
const findings = simulate(input);
process.stdout.write(values.json ? `${JSON.stringify({ ...input, findings }, undefined, 2)}\n` : report(input, findings));
