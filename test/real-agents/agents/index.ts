import type { RealAgent } from '../agent.ts';
import { claude } from './claude.ts';
import { cline } from './cline.ts';
import { codex } from './codex.ts';
import { continueCli } from './continue.ts';
import { copilot } from './copilot.ts';
import { gemini } from './gemini.ts';
import { kilo } from './kilo.ts';
import { opencode } from './opencode.ts';
import { pi } from './pi.ts';
import { qwen } from './qwen.ts';

export const realAgents: readonly RealAgent[] = [
  codex,
  opencode,
  gemini,
  qwen,
  pi,
  cline,
  kilo,
  continueCli,
  claude,
  copilot,
];
