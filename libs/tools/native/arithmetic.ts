import { InvalidInputError } from '#kernel';

/** Bounds the recursion on a text that a model wrote. */
const MAX_LENGTH = 500;
const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)|(\*\*|[-+*/%^()]))/iy;

type Operation = (left: number, right: number) => number;
const ADDITIVE: Record<string, Operation> = { '+': (a, b) => a + b, '-': (a, b) => a - b };
const MULTIPLICATIVE: Record<string, Operation> = { '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b };

/**
 * Evaluates + - * / % ^ (or **), unary signs and parentheses with the usual precedence; ^ groups from the right and
 * binds tighter than a sign before it. Throws InvalidInputError on anything else and where the result is no finite number.
 */
export function evaluate(expression: string): number {
  if (expression.length > MAX_LENGTH) throw new InvalidInputError(`The expression is longer than ${MAX_LENGTH} characters`);
  const parser = new Parser(tokenize(expression));
  const value = parser.sum();
  parser.end();
  if (!Number.isFinite(value)) throw new InvalidInputError('The result is not a finite number (division by zero?)');
  return value;
}

function tokenize(expression: string): string[] {
  const text = expression.replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-').trimEnd();
  const token = new RegExp(TOKEN);
  const tokens: string[] = [];
  while (token.lastIndex < text.length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (!match) throw new InvalidInputError(`Unexpected "${text.slice(at).trim().charAt(0)}" at position ${at + 1}`);
    tokens.push(match[1] ?? match[2] ?? '');
  }
  return tokens;
}

class Parser {
  #at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  sum(): number {
    return this.#chain(ADDITIVE, () => this.#chain(MULTIPLICATIVE, () => this.#signed()));
  }

  end(): void {
    const rest = this.tokens[this.#at];
    if (rest !== undefined) throw new InvalidInputError(`Unexpected "${rest}"`);
  }

  #chain(operations: Record<string, Operation>, operand: () => number): number {
    let value = operand();
    for (;;) {
      const operation = operations[this.tokens[this.#at] ?? ''];
      if (!operation) return value;
      this.#at += 1;
      value = operation(value, operand());
    }
  }

  #signed(): number {
    if (this.#take('-')) return -this.#signed();
    if (this.#take('+')) return this.#signed();
    return this.#power();
  }

  #power(): number {
    const base = this.#atom();
    return this.#take('^') || this.#take('**') ? base ** this.#signed() : base;
  }

  #atom(): number {
    if (this.#take('(')) {
      const value = this.sum();
      if (!this.#take(')')) throw new InvalidInputError('A closing parenthesis is missing');
      return value;
    }
    const token = this.tokens[this.#at];
    const value = Number(token);
    if (token === undefined || Number.isNaN(value))
      throw new InvalidInputError(`A number is missing ${token ? `before "${token}"` : 'at the end'}`);
    this.#at += 1;
    return value;
  }

  #take(token: string): boolean {
    if (this.tokens[this.#at] !== token) return false;
    this.#at += 1;
    return true;
  }
}
