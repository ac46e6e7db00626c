/** A request to a route of a plugin, from somebody with a token. */
export interface PluginRequest {
  method: string;
  /** Behind `/plugins/<id>`. */
  path: string;
  query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined for none. */
  body: unknown;
  /** Whose token it is. */
  tenant: string;
  caller: string;
}

export interface PluginResponse {
  /** Default 200. */
  status?: number;
  /** Text is sent as text, everything else as JSON; default: nothing. */
  body?: unknown;
}

/** Served by the ingress at `/plugins/<id><path>`, for whoever has a token. */
export interface PluginRoute {
  /** Begins with a slash. */
  path: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Within 30 s. A throw is told to the caller as 502 without its text, which is logged. */
  handler(request: PluginRequest): PluginResponse | Promise<PluginResponse>;
}
