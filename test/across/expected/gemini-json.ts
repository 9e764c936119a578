import type { Expected } from '../../support/expected.ts';

export const expected: Expected = {
  folder: 'gemini-json@0.61.0',
  dialect: 'gemini',
  writer: 'gemini:json',
  classes: {
    denied: 'success',
    'disconnect-always': 'provider',
    'empty-answer': 'incomplete',
    'error-500-always': 'provider',
    'failing-shell': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    reasoning: 'success',
    shell: 'success',
    'sigint-tool': 'incomplete',
    'sigterm-stream': 'incomplete',
    'stdin-prompt': 'success',
    'stream-error': 'provider',
    unicode: 'success',
  },
  differs: {
    'stream-error': { why: 'the attempts that broke off are counted too', tokens: { input: 7257, output: 69 } },
    unicode: {
      why: 'the program broke off two answers at U+2028 and printed the pieces as one response; calls and tokens of those are not counted',
      message:
        'Latin: naïve café Ünïcödé ß\nCJK: 日本語のテキスト 中文 한국어\nRTL: العربية עברית\nEmoji: 🦊 👩‍👩‍👧‍👦 🏳️‍🌈 🇳🇱 👍🏽\nMath: 𝒳 ∑ ∞ 𝔘𝔫𝔦\nLine sepDone.',
      tools: [],
      tokens: { input: 2419, output: 5 },
    },
  },
};
