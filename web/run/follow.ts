import { useEffect, useRef, useState } from 'preact/hooks';

const letGoAt = 120;
const holdAt = 24;
/** A scroll so soon after the hand moved is the hand's. */
const handMs = 500;

/**
 * Stays at the end of the page while it grows. It lets go only when the reader scrolls away by more than a line or two, never
 * because rows moved, and takes hold again at the end.
 */
export function useFollow(isWanted: boolean, version: number) {
  const [isFollowing, setFollowing] = useState(isWanted);
  const state = useRef({ isFollowing, hand: 0, top: 0 });
  state.current.isFollowing = isFollowing;

  useEffect(() => {
    const touched = (): void => void (state.current.hand = performance.now());
    const scrolled = (): void => {
      const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
      const left = scrollHeight - scrollTop - clientHeight;
      const isHand = performance.now() - state.current.hand < handMs;
      const isUp = scrollTop < state.current.top;
      state.current.top = scrollTop;
      if (state.current.isFollowing && isHand && isUp && left > letGoAt) setFollowing(false);
      else if (!state.current.isFollowing && isHand && !isUp && left < holdAt && isWanted) setFollowing(true);
    };
    const hands = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove'] as const;
    const moved = (event: Event): void => {
      if (event.type !== 'pointermove' || (event as PointerEvent).buttons !== 0) touched();
    };
    for (const name of hands) addEventListener(name, moved, { passive: true });
    addEventListener('scroll', scrolled, { passive: true });
    return () => {
      for (const name of hands) removeEventListener(name, moved);
      removeEventListener('scroll', scrolled);
    };
  }, [isWanted]);

  useEffect(() => {
    if (!isFollowing || !isWanted) return;
    const frame = requestAnimationFrame(() => scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' }));
    return () => cancelAnimationFrame(frame);
  }, [version, isFollowing, isWanted]);

  return { isFollowing, setFollowing };
}
