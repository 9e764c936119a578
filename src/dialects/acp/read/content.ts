import type { Json } from '../../../json/json.ts';
import { asText, object } from '../../../json/read.ts';

/** Content for a model, as text. */
export function textIn(content: Json): string {
  const { type, text, uri, name, mimeType, resource } = object(content);
  if (type === 'text') return asText(text);
  if (type === 'resource_link') return `[${asText(name)}](${asText(uri)})`;
  if (type === 'resource') return `${asText(object(resource).uri)}\n${asText(object(resource).text)}`.trim();
  return `[${[asText(type), asText(mimeType)].filter((each) => each !== '').join(' ')}]`;
}
