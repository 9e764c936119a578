/** Statements of somebody else. */
export async function change(place: string, sql: string): Promise<Record<string, unknown>[]> {
  if (!place.startsWith('postgres:')) {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(place);
    database.exec(sql);
    database.close();
    return [];
  }
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  const { rows = [] } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}
