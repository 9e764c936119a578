type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The fields that have a value. */
export function present<T extends object>(fields: T): Present<T> {
  // Not by deleting keys: V8 turns an object that has lost a key into a slow dictionary.
  const out: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) out[key] = fields[key];
  return out as unknown as Present<T>;
}
