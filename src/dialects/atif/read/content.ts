import type { Json } from '../../dialect.ts';
import { asText, isObject, list, object, string } from '../../read.ts';

/** Text, or the texts among its parts; of the others, where they are. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => (isObject(part) ? (string(part.text) ?? `[${asText(part.type)}: ${asText(object(part.source).path)}]`) : ''))
    .join('\n');
}
