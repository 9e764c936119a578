/** All that a generator yields, and what it answers at its end. */
export async function drained<Value, End>(values: AsyncGenerator<Value, End>): Promise<{ values: Value[]; end: End }> {
  const got: Value[] = [];
  for (;;) {
    const next = await values.next();
    if (next.done === true) return { values: got, end: next.value };
    got.push(next.value);
  }
}
