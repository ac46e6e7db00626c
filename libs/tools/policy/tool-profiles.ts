/** Tools of a purpose, as patterns. Names of tools that are not there are for those that will be. */
export const TOOL_PROFILES = {
  minimal: ['session_status', 'current_time'],
  messaging: [
    'group:messaging',
    'sessions_list',
    'sessions_history',
    'sessions_send',
    'session_status',
    'current_time',
    'group:mcp',
  ],
  coding: [
    'group:fs',
    'group:runtime',
    'group:web',
    'group:sessions',
    'group:memory',
    'group:automation',
    'group:media',
    'group:basics',
    'group:mcp',
  ],
  full: ['*'],
} as const satisfies Record<string, readonly string[]>;

export type ToolProfile = keyof typeof TOOL_PROFILES;
