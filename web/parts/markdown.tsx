import { Lexer, type Token, type Tokens } from 'marked';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Output } from './agent-text.tsx';
import { safeLink, visible } from './plain-text.ts';

const longest = 60_000;

/** Markdown from an agent. The lexer's tokens become elements by name; HTML in them stays text, and images become links. */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => read(text), [text]);
  if (tokens === undefined) return <Output text={text} label="Long text" class="prose-plain" />;
  return <div class="prose">{tokens.map((token, index) => block(token, index, 0))}</div>;
}

function read(text: string): Token[] | undefined {
  if (text.length > longest) return undefined;
  try {
    return Lexer.lex(visible(text), { gfm: true });
  } catch {
    // Nested too deeply to parse: it is shown as plain text.
    return undefined;
  }
}

/** Deeper nesting is unreadable and would overflow its box. */
const deepest = 6;

function block(token: Token, index: number, depth: number): ComponentChildren {
  if (depth > deepest) return <p key={index}>{token.raw.slice(0, 2000)}</p>;
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'heading':
      // Headings in agent text are not headings of this page.
      return (
        <p key={index} class={`heading heading-${Math.min(4, (token as Tokens.Heading).depth)}`}>
          {inlines(token)}
        </p>
      );
    case 'paragraph':
      return <p key={index}>{inlines(token)}</p>;
    case 'code': {
      const { text, lang = '' } = token as Tokens.Code;
      return <Output key={index} text={text} label="Code" class="code" language={lang.split(/[\s,{:]/, 1)[0]} />;
    }
    case 'blockquote':
      return (
        <blockquote key={index}>
          {((token as Tokens.Blockquote).tokens ?? []).map((each, at) => block(each, at, depth + 1))}
        </blockquote>
      );
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const content = items.map((item, at) => (
        <li key={at}>
          {item.task ? <span class="task">{item.checked === true ? '☑ ' : '☐ '}</span> : null}
          {item.tokens.map((each, place) => block(each, place, depth + 1))}
        </li>
      ));
      return ordered ? (
        <ol key={index} start={typeof start === 'number' ? start : 1}>
          {content}
        </ol>
      ) : (
        <ul key={index}>{content}</ul>
      );
    }
    case 'hr':
      return <hr key={index} />;
    case 'table': {
      const { header, rows } = token as Tokens.Table;
      return (
        <div key={index} class="table-box" tabIndex={0} role="group" aria-label="Table">
          <table>
            <thead>
              <tr>
                {header.map((cell, at) => (
                  <th key={at}>{cell.tokens.map(inline)}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, line) => (
                <tr key={line}>
                  {row.map((cell, at) => (
                    <td key={at}>{cell.tokens.map(inline)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
    }
    case 'text':
      return <span key={index}>{inlines(token)}</span>;
    default:
      return <p key={index}>{token.raw}</p>;
  }
}

function inlines(token: Token): ComponentChildren {
  const inner = 'tokens' in token ? token.tokens : undefined;
  return inner === undefined ? ('text' in token ? String(token.text) : token.raw) : inner.map(inline);
}

function inline(token: Token, index: number): ComponentChildren {
  switch (token.type) {
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? token.tokens.map(inline) : (token as Tokens.Text).text;
    case 'escape':
      return (token as Tokens.Escape).text;
    case 'strong':
      return <strong key={index}>{inlines(token)}</strong>;
    case 'em':
      return <em key={index}>{inlines(token)}</em>;
    case 'del':
      return <del key={index}>{inlines(token)}</del>;
    case 'codespan':
      return <code key={index}>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br key={index} />;
    case 'link':
      return link((token as Tokens.Link).href, inlines(token), index);
    case 'image':
      return link(
        (token as Tokens.Image).href,
        `picture: ${(token as Tokens.Image).text || (token as Tokens.Image).href}`,
        index,
      );
    default:
      return token.raw;
  }
}

/** A link to a web address only, in a new page that learns nothing about this one. */
function link(href: string, content: ComponentChildren, index: number): ComponentChildren {
  const safe = safeLink(href);
  if (safe === undefined)
    return (
      <span key={index} class="no-link" title="Not a web address, so it is not a link here">
        {content}
      </span>
    );
  return (
    <a key={index} href={safe} target="_blank" rel="noopener noreferrer nofollow">
      {content}
    </a>
  );
}
