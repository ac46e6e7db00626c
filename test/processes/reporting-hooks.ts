import { Hooks, HOOKS, type HookName } from '#agent';

/** Hooks that write what they are told to stdout as `{hook, ...payload}`, and that follow a few words in what they see. */
export function reportingHooks(): Hooks {
  const hooks = new Hooks();
  for (const name of Object.keys(HOOKS) as HookName[]) {
    hooks.on(
      name,
      (payload) => {
        console.log(JSON.stringify({ hook: name, ...payload }));
      },
      { priority: 1 },
    );
  }
  hooks.on('before_agent_start', ({ prompt }) =>
    prompt.join().includes('forbidden') ? { block: 'this topic is closed' } : undefined,
  );
  hooks.on('message_sending', ({ text }) => ({ text: text.replaceAll('secret', '***') }));
  hooks.on('before_tool_call', ({ tool }) => {
    if (tool === 'once_tool') return { block: 'it is broken' };
    if (tool === 'idempotent_tool') return { arguments: { value: `edited by ${process.env.TEST_MEMBER}` } };
  });
  hooks.on('turn_end', () => {
    throw new Error('this hook is broken');
  });
  return hooks;
}
