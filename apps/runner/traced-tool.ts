import type { ToolResult, ToolRunner } from '#agent';
import { currentTrace, inSpan, toolContent, toolSpan, tracing } from '#telemetry';

/** A tool that runs; what it is told of the trace it may pass on. */
export const tracedTool: ToolRunner = (call, args, run) =>
  inSpan(toolSpan(call), async (span): Promise<ToolResult> => {
    const result = await run(currentTrace());
    if (result.isError) span.fail('tool_error');
    if (tracing().content) span.set(toolContent(args, result.text));
    return result;
  });
