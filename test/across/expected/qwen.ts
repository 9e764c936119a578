import type { Expected } from '../../support/expected.ts';

const why = 'the last answer served is to a call of the program itself, which keeps notes for later runs';

export const expected: Expected = {
  folder: 'qwen@0.24.4',
  dialect: 'qwen',
  silent: ['reasoning_tokens'],
  classes: {
    denied: 'permission',
    'denied-outside': 'success',
    'disconnect-always': 'provider',
    'disconnect-then-ok': 'success',
    'empty-answer': 'incomplete',
    'empty-prompt': 'input',
    'error-400-context': 'provider',
    'failing-shell': 'success',
    'long-text': 'incomplete',
    'long-tool-output': 'success',
    'multi-tool': 'success',
    parallel: 'success',
    plain: 'success',
    'rate-limit-then-ok': 'success',
    reasoning: 'success',
    shell: 'success',
    'sigint-stream': 'cancelled',
    'sigint-tool': 'cancelled',
    'sigterm-stream': 'cancelled',
    'slow-stream': 'success',
    'turn-limit': 'turn_limit',
    unicode: 'success',
    'unicode-split': 'success',
    'unknown-tool': 'success',
  },
  differs: {
    'disconnect-then-ok': {
      why,
      message:
        'This answer is cut off in the middle of the stream, the first time it is given, and whole the second time.',
    },
    'long-text': {
      why: 'the result line with the totals is cut; the call for notes is in them alone',
      tokens: { input: 3154, output: 51212 },
    },
    plain: { why, message: 'Hello! How can I help you with this project today?' },
    'rate-limit-then-ok': { why, message: 'The project holds a README and a small script. Everything looks fine.' },
    reasoning: { why, message: 'The answer is 42.' },
    'slow-stream': {
      why,
      message:
        'This answer comes slowly, piece by piece, and each piece is held back for a while before it is sent, so that a reader of the stream sees pauses.',
    },
    'unicode-split': {
      why,
      message:
        'Latin: na\u00efve caf\u00e9 \u00dcn\u00efc\u00f6d\u00e9 \u00df\nCJK: \u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8 \u4e2d\u6587 \ud55c\uad6d\uc5b4\nRTL: \u0627\u0644\u0639\u0631\u0628\u064a\u0629 \u05e2\u05d1\u05e8\u05d9\u05ea\nEmoji: \ud83e\udd8a \ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67\u200d\ud83d\udc66 \ud83c\udff3\ufe0f\u200d\ud83c\udf08 \ud83c\uddf3\ud83c\uddf1 \ud83d\udc4d\ud83c\udffd\nMath: \ud835\udcb3 \u2211 \u221e \ud835\udd18\ud835\udd2b\ud835\udd26\nLine sep:\u2028after U+2028, para sep:\u2029after U+2029, NEL:\u0085after\nZero width: a\u200bb\u200dc\ufeffd\nControls: bell\ud83e\udd8a end',
    },
  },
};
