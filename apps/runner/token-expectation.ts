import { requestTokens, type ModelRequest } from '#agent';

/** Of an answer nobody has seen one of. */
const FIRST_OUTPUT = 500;
/** Weight of the newest answer: about ten of them make the mean. */
const NEWEST = 0.1;
/** Bounds of what one report may make of the estimate: some servers count nothing, some count twice. */
const SCALE = { least: 0.5, most: 3 };

/** How many tokens the next call of one model will cost, by what the last ones did. */
export class TokenExpectation {
  #scale = 1;
  #output = FIRST_OUTPUT;

  of(request: ModelRequest): number {
    return Math.ceil(requestTokens(request) * this.#scale + this.#output);
  }

  learn(request: ModelRequest, inputTokens: number, outputTokens: number): void {
    const scale = Math.min(SCALE.most, Math.max(SCALE.least, inputTokens / requestTokens(request)));
    this.#scale += NEWEST * (scale - this.#scale);
    this.#output += NEWEST * (outputTokens - this.#output);
  }
}
