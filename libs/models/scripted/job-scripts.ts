import { resultOf, say, send, sendAtEnd, use, type Script } from './script.js';

/** Jobs of several steps: tools, and progress that reaches the user while they run. */

const MAX_SEARCHES = 10;

const searches: Script = {
  pattern: /(\d+)\s*次\s*搜索|(\d+)\s+search/i,
  steps: ({ chinese }, match) => {
    const count = Math.min(MAX_SEARCHES, Math.max(1, Number(match[1] ?? match[2])));
    const rounds = Array.from({ length: count }, (_, index) => {
      const n = index + 1;
      return [
        use('demo_search', { query: chinese ? `示例主题 ${n}` : `demo topic ${n}` }),
        send(chinese ? `进度：第 ${n}/${count} 次搜索完成` : `Progress: search ${n} of ${count} is done`),
      ];
    });
    return [
      ...rounds.flat(),
      say(
        chinese
          ? `全部完成：共执行 ${count} 次搜索，每次之后都已发送进度。`
          : `All done: ${count} searches, with a progress message after each.`,
      ),
    ];
  },
};

const report: Script = {
  pattern: /\breport\b|\banaly[sz]e|分析|报告/i,
  steps: (talk) => {
    const zh = talk.chinese;
    const query = zh ? '季度数据' : 'quarterly figures';
    return [
      send(zh ? '收到，开始分析...' : 'Got it, starting the analysis...'),
      use('demo_search', { query }),
      use('wait', { seconds: 1 }),
      send(zh ? '数据拉完，正在生成报告' : 'The data is in, writing the report now'),
      use('calculator', { expression: '(1280 - 1120) / 1120 * 100' }),
      use('wait', { seconds: 1 }),
      say(
        zh
          ? `报告完成，核心结论：演示数据环比增长 ${resultOf(talk, 'calculator')}%。\n\n${resultOf(talk, 'demo_search')}`
          : `The report is ready. Main finding: the demo figures grew by ${resultOf(talk, 'calculator')}%.\n\n${resultOf(talk, 'demo_search')}`,
      ),
    ];
  },
};

const bothModes: Script = {
  pattern: /两种消息模式|\bbatch/i,
  steps: ({ chinese: zh }) => [
    send(zh ? '开始任务...（立即）' : 'Starting the job... (immediate)'),
    sendAtEnd(zh ? '审计记录：查询已执行（批量）' : 'Audit trail: the query was run (batched)'),
    use('demo_search', { query: zh ? '两种消息模式' : 'delivery modes' }),
    send(zh ? '查询完成，正在收尾（立即）' : 'The query is done, finishing up (immediate)'),
    sendAtEnd(zh ? '审计记录：任务已收尾（批量）' : 'Audit trail: the job was finished (batched)'),
    say(
      zh
        ? '处理完成：立即消息在执行中送达，批量消息在回合结束时送达。'
        : 'Done: immediate messages came while I worked, batched ones when the turn ended.',
    ),
  ],
};

const slow: Script = {
  pattern: /(?:\bslow|慢|等待)\s*(\d{1,3})/i,
  steps: ({ chinese: zh }, match) => {
    const seconds = Math.min(300, Number(match[1]));
    return [
      {
        text: zh
          ? `好的，我等 ${seconds} 秒。发送 /stop 可以打断我。`
          : `All right, I wait for ${seconds} s. Send /stop to interrupt me.`,
        calls: [{ name: 'wait', args: { seconds } }],
      },
      say(zh ? `等了 ${seconds} 秒，完成。` : `Waited ${seconds} s, done.`),
    ];
  },
};

export const jobScripts: readonly Script[] = [bothModes, searches, slow, report];
