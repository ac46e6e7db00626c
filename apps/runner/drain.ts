import { setMaxListeners } from 'node:events';
import { Injectable } from '@nestjs/common';
import { Draining } from './stop-reasons.js';

/** This process is leaving: no new turns; when `signal` fires, running ones are handed to other processes. */
@Injectable()
export class Drain {
  private readonly now = new AbortController();
  begun = false;

  constructor() {
    // Every running turn listens.
    setMaxListeners(0, this.now.signal);
  }

  get signal(): AbortSignal {
    return this.now.signal;
  }

  begin(): void {
    this.begun = true;
  }

  handBack(): void {
    this.now.abort(new Draining('The process is leaving'));
  }
}
