import type { Json } from '../json/json.ts';
import { asText, list, object, string } from '../json/read.ts';
import { invalidParams, RpcError } from '../jsonrpc/peer.ts';
import { quoted } from '../redact/quoted.ts';

/** What an editor sends, as the single text that every agent accepts. Throws `RpcError` for anything that is not text. */
export function promptOf(blocks: Json | undefined): string {
  const text = list(blocks).map(textOf).join('\n\n').trim();
  if (text === '') throw new RpcError(invalidParams, 'the prompt is empty');
  return text;
}

function textOf(block: Json): string {
  const { type, text, name, uri, resource } = object(block);
  switch (type) {
    case 'text':
      return asText(text);
    case 'resource_link':
      return `[${asText(name)}](${asText(uri)})`;
    case 'resource': {
      const { uri: at, text: content } = object(resource);
      if (string(content) === undefined) throw new RpcError(invalidParams, 'only text can be embedded in a prompt');
      return `${asText(at)}\n\n\`\`\`\n${asText(content)}\n\`\`\``;
    }
    default:
      throw new RpcError(
        invalidParams,
        `a prompt cannot hold ${typeof type === 'string' ? `"${quoted(type, 40)}"` : 'this'}: only text, links and embedded text`,
      );
  }
}
