import { z } from 'zod';
import { define, success } from './define.ts';

const marks = { pending: '[ ]', in_progress: '[>]', completed: '[x]' } as const;
const input = z.strictObject({
  todos: z
    .array(z.strictObject({ content: z.string().min(1), status: z.enum(['pending', 'in_progress', 'completed']) }))
    .max(200),
});

export const todo = define<z.infer<typeof input>>({
  name: 'todo',
  kind: 'plan',
  description: 'Write down the plan for work of several steps, and again, whole, whenever a step is begun or done.',
  input,
  need: () => ({ access: 'none', subject: '' }),
  run: ({ todos }) => {
    const done = todos.filter(({ status }) => status === 'completed').length;
    const lines = todos.map(({ content, status }) => `${marks[status]} ${content}`);
    return Promise.resolve(success([`${done} of ${todos.length} done`, ...lines].join('\n')));
  },
});
