import type { Conversation } from './conversation.js';
import { resultOf, say, use, type Script, type ScriptStep } from './script.js';

/** Short answers: small talk, questions about Turnpike, one tool at most. */

const HINTS = {
  en: 'Try: "report", "batch", "run 3 searches", "what time is it", "calculate 12*7", "slow 10" (then /stop), or "what is Turnpike?".',
  zh: '可以试试：“分析报告”、“使用两种消息模式处理”、“执行3次搜索并在每次后发送进度”、“几点了”、“计算 12*7”、“慢 10”（然后 /stop），或“Turnpike 是什么？”',
};

const calculate: Script = {
  pattern: /(?:calculate|compute|计算|算一下)\s*[:：]?\s*([\d(.+−-][\d\s()+\-*/%^.×÷−]*)/i,
  steps: (talk, match) => {
    const expression = (match[1] ?? '').trim();
    return [use('calculator', { expression }), say(`${expression} = ${resultOf(talk, 'calculator')}`)];
  },
};

const time: Script = {
  pattern: /\btime\b|几点|时间/i,
  steps: (talk) => [
    use('current_time', talk.chinese ? { timeZone: 'Asia/Shanghai' } : {}),
    say(`${talk.chinese ? '现在是' : 'It is'} ${resultOf(talk, 'current_time')}.`),
  ],
};

const about: Script = {
  pattern: /turnpike|\bhelp\b|who are you|what (?:are|can) you|你是谁|帮助|能做什么/i,
  steps: ({ chinese }) => [
    say(
      chinese
        ? `我是 Turnpike 的离线演示智能体，不需要任何密钥。Turnpike 在一组随时可能被杀掉的工作进程上运行聊天智能体：每个会话有自己的队列，每一步都写入日志，进程崩溃后由另一个进程接着做，消息不丢、不重、不乱序。\n\n${HINTS.zh}`
        : `I am Turnpike's offline demo agent; I need no key. Turnpike runs chat agents on workers that may be killed at any moment: every session has its own queue, every step is journalled, and after a crash another worker goes on. Nothing is lost, doubled or reordered.\n\n${HINTS.en}`,
    ),
  ],
};

const greeting: Script = {
  pattern: /^\s*(?:hello|hi|hey|good (?:morning|evening)|你好|您好|嗨)(?![a-z])/i,
  steps: ({ chinese, heard }) => {
    const again = chinese ? '又见面了！' : 'Hello again!';
    const first = chinese ? '你好！我是 Turnpike 的演示智能体。' : 'Hello! I am the Turnpike demo agent.';
    return [say(`${heard > 1 ? again : first} ${chinese ? HINTS.zh : HINTS.en}`)];
  },
};

const QUOTE_LIMIT = 200;
const quote = (text: string) => (text.length > QUOTE_LIMIT ? `${text.slice(0, QUOTE_LIMIT)}…` : text);

/** Answers what no script fits. */
export function echo({ text, chinese, heard, first }: Conversation): ScriptStep {
  const said = quote(text);
  const began = quote(first);
  const memory = chinese
    ? `这是你在本会话中的第 ${heard} 条消息，第一条是“${began}”。`
    : `This is message ${heard} from you in this session; the first was "${began}".`;
  return say(chinese ? `你说：“${said}”。${memory}\n\n${HINTS.zh}` : `You said: "${said}". ${memory}\n\n${HINTS.en}`);
}

export const talkScripts: readonly Script[] = [calculate, time, about, greeting];
