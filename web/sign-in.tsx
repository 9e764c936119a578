import { useEffect, useRef, useState } from 'preact/hooks';
import { signIn } from './api.ts';
import { setTab } from './parts/common.tsx';

/** Asks for a token. It is sent in the body of one request, and kept as a cookie that no script can read. */
export function SignIn() {
  const [token, setToken] = useState('');
  const [problem, setProblem] = useState('');
  const [isSent, setSent] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    setTab('Sign in · Runwire', 'idle');
    field.current?.focus();
  }, []);
  async function send(event: Event): Promise<void> {
    event.preventDefault();
    if (token.trim() === '') return setProblem('Paste the token first.');
    setSent(true);
    try {
      const refused = await signIn(token.trim());
      if (refused !== undefined) setProblem(refused);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setSent(false);
    }
  }
  return (
    <main class="sign-in">
      <h1 class="page-title">Sign in</h1>
      <p>
        Open the link that “runwire serve” printed, or paste a token here: the part of that link after “token=”, or the
        one that you were given.
      </p>
      <form onSubmit={(event) => void send(event)}>
        <label class="field">
          <span>Token</span>
          <input
            ref={field}
            type="password"
            autocomplete="current-password"
            value={token}
            maxLength={1000}
            aria-invalid={problem !== ''}
            aria-describedby="sign-in-problem"
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <p id="sign-in-problem" class="text-bad" role="alert">
          {problem}
        </p>
        <button type="submit" class="primary" disabled={isSent}>
          Sign in
        </button>
      </form>
    </main>
  );
}
