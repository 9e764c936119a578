/** A value as programs write it: escaped in JSON once or more, in a URL, for a shell, in HTML, and as bytes. */
export function spellingsOf(value: string): string[] {
  return [
    ...jsonSpellings(value),
    ...urlSpellings(value),
    ...shellSpellings(value),
    ...htmlSpellings(value),
    ...byteSpellings(value),
  ];
}

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1);

function jsonSpellings(value: string): string[] {
  const once = inJson(value);
  const twice = inJson(once);
  const ascii = once.replaceAll(/[^ -~]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [once, twice, inJson(twice), ascii];
}

/** Programs differ in which characters they encode and in how they write the digits. */
function urlSpellings(value: string): string[] {
  const loose = encodeURIComponent(value.toWellFormed());
  const strict = loose.replaceAll(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const forms = [loose, strict].flatMap((form) => [form, form.replaceAll('%2F', '/'), form.replaceAll('%20', '+')]);
  const all = [...forms, encodeURI(value.toWellFormed())];
  const small = all.map((form) => form.replaceAll(/%[0-9A-F]{2}/g, (each) => each.toLowerCase()));
  return [...all, ...small, encodeURIComponent(loose), encodeURIComponent(strict)];
}

function shellSpellings(value: string): string[] {
  return [
    value.replaceAll("'", String.raw`'\''`),
    value.replaceAll("'", `'"'"'`),
    value.replaceAll("'", String.raw`\'`),
    value.replaceAll(/["$`\\]/g, String.raw`\$&`),
    value.replaceAll(/[ -~]/g, (mark) => (/[\w%+,./:=@-]/.test(mark) ? mark : `\\${mark}`)),
  ];
}

function htmlSpellings(value: string): string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = [text, text.replaceAll('"', '&quot;'), text.replaceAll('"', '&#34;')];
  return [
    ...quoted,
    ...['&#39;', '&#x27;', '&apos;'].flatMap((mark) => quoted.map((form) => form.replaceAll("'", mark))),
  ];
}

/** A longer value is searched for in fewer spellings: each of them is at least as long as the value. */
const longestDumped = 1024;
const betweenBytes = ['', ' ', ':', '-', '\\x', ', 0x', ',0x', ' 0x'];

/** As dumps, fingerprints and string literals show bytes. */
function byteSpellings(value: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => byte.toString(16).padStart(2, '0'));
  const capital = bytes.map((byte) => byte.toUpperCase());
  const pairs = bytes.join('').replaceAll(/.{4}(?=.)/g, '$& ');
  const marks = value.length > longestDumped ? [''] : betweenBytes;
  return [...[bytes, capital].flatMap((each) => marks.map((mark) => each.join(mark))), pairs];
}
