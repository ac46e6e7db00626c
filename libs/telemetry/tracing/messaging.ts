import type { TraceContext } from '#contracts';
import type { Attributes, SpanSpec } from './spans.js';

/** The two queues a message goes through: `turns` before the agent, `deliveries` behind it. */
type Destination = 'turns' | 'deliveries';

/** Messages are stored for another process to take. Conventions: OpenTelemetry messaging, https://opentelemetry.io/docs/specs/semconv/messaging/ */
export function sendSpan(to: Destination, attributes: Attributes): SpanSpec {
  return spanOf('send', 'producer', to, attributes);
}

/** They are taken, and dealt with. @param links where the others came from that are dealt with together */
export function processSpan(from: Destination, attributes: Attributes, links: readonly TraceContext[] = []): SpanSpec {
  return { ...spanOf('process', 'consumer', from, attributes), links };
}

function spanOf(operation: string, kind: SpanSpec['kind'], destination: Destination, attributes: Attributes): SpanSpec {
  return {
    name: `${operation} ${destination}`,
    kind,
    attributes: {
      'messaging.system': 'bullmq',
      'messaging.destination.name': destination,
      'messaging.operation.name': operation,
      'messaging.operation.type': operation,
      ...attributes,
    },
  };
}

/** One request of a channel to its platform. */
export function channelSpan(channel: string): SpanSpec {
  return { name: `send ${channel}`, kind: 'client', attributes: { 'turnpike.channel': channel } };
}
