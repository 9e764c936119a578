import type { Json } from '../../dialect.ts';
import { asText, isObject, list, object, string } from '../../read.ts';

/** The text, or the texts of its parts; for other parts, their type and path. */
export function textOf(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return list(content)
    .map((part) => (isObject(part) ? (string(part.text) ?? `[${asText(part.type)}: ${asText(object(part.source).path)}]`) : ''))
    .join('\n');
}
