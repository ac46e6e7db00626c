import type { TSchema } from 'typebox';
import type { ToolEffect } from '#agent';
import type { PluginSession, PluginStorage } from './plugin-services.js';

/** What a tool declares about itself. The manifest may say the same in `toolMetadata`; where both do, they must agree. */
export interface ToolTraits {
  /** What a repeated execution means after a crash; default `once`: it is not run again, and the model is told. */
  effect?: ToolEffect;
  /** ms; default 120,000. */
  timeoutMs?: number;
  /** Runs beside other calls of one answer; default: when it is `pure`. */
  parallelSafe?: boolean;
  /** For a `pure` tool: sessions of one tenant share a result for so long, ms. */
  cacheTtlMs?: number;
  /** Only for owners of the agent; default false. */
  ownerOnly?: boolean;
  /** Shown only where a policy allows it by name; default false. */
  optional?: boolean;
  /** What policies may call several tools by. */
  group?: string;
}

/** What a tool gives back besides plain text and JSON values. */
export interface ToolContent {
  content: readonly ({ type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string })[];
  isError?: boolean;
  details?: unknown;
}

/** For whom a tool runs. */
export interface PluginToolContext {
  readonly tenant: string;
  readonly sessionKey: string;
  readonly turnId: string;
  readonly session: PluginSession;
  /** Of this plugin and this tenant. */
  readonly storage: PluginStorage;
}

/** A tool as `api.registerTool` takes it. */
export interface PluginTool extends ToolTraits {
  name: string;
  label?: string;
  description: string;
  /** JSON Schema of the arguments; they are checked before `execute` sees them. */
  parameters: TSchema | Record<string, unknown>;
  /**
   * @param toolCallId stable over crashes: the idempotency key of this call
   * @param signal fires at the time limit, when the turn is stopped and when the process leaves
   * @returns text, a JSON value or content for the model; a throw is told to the model as a failure
   */
  execute(toolCallId: string, params: never, signal?: AbortSignal, onUpdate?: (partial: unknown) => void): unknown;
}

/** Makes the tool anew for each call, so that it may close over whom it runs for. Asked once at the start, too, for its description. */
export type PluginToolFactory = (context: PluginToolContext) => PluginTool | PluginTool[] | null | undefined;
