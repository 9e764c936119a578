/** The secret members of a JSON Web Key. */
export const jwkMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];

/** Documents some of whose fields are secrets whatever they look like, by the kind that is shown in their place. */
const members: Readonly<Record<string, ReadonlySet<string>>> = {
  'jwk-private': new Set(jwkMembers),
  'kubernetes-secret': new Set(['data', 'stringData']),
};

/** What an object is, by the field that says it: a JSON Web Key, or a Kubernetes Secret. */
export function kindOfDocument(object: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof object['kty'] === 'string') return 'jwk-private';
  return object['kind'] === 'Secret' ? 'kubernetes-secret' : undefined;
}

export function isSecretMember(kind: string, field: string): boolean {
  return members[kind]?.has(field) === true;
}
