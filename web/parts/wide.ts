import { useEffect, useState } from 'preact/hooks';

/** Whether the window is at least as wide as this. */
export function useWide(least: number): boolean {
  const query = `(min-width: ${least}px)`;
  const [isWide, setWide] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const onChange = (): void => setWide(media.matches);
    media.addEventListener('change', onChange);
    return () => media.removeEventListener('change', onChange);
  }, [query]);
  return isWide;
}
