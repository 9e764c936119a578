import { useEffect, useRef, useState } from 'preact/hooks';

const letGoAt = 120;
const holdAt = 24;
/** A scroll this soon after user input is the user's; this soon after a jump to the end it is the page's, whose rows are still being measured. */
const handMs = 500;

const scrollKeys = new Set(['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ']);

/** Whether an input event may scroll the page; other keys, and clicks on controls, do not. */
function isScrolling(event: Event): boolean {
  if (event instanceof KeyboardEvent) return scrollKeys.has(event.key);
  if (!(event instanceof PointerEvent)) return true;
  const isPressed = event.type === 'pointerdown' || event.buttons !== 0;
  return isPressed && !(event.target instanceof Element && event.target.closest('button, a, input, select') !== null);
}

/**
 * Stays at the end of the page while it grows. It stops only when the reader scrolls away by more than a line or two, never
 * because rows moved, and starts again when the reader returns to the end.
 */
export function useFollow(isWanted: boolean) {
  const [isFollowing, setFollowing] = useState(isWanted);
  const state = useRef({ isFollowing, hand: 0, ended: 0, top: 0 });
  state.current.isFollowing = isFollowing;

  function toEnd(): void {
    state.current.ended = performance.now();
    scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });
  }

  useEffect(() => {
    const touched = (): void => void (state.current.hand = performance.now());
    const scrolled = (): void => {
      const { scrollHeight, scrollTop, clientHeight } = document.documentElement;
      const left = scrollHeight - scrollTop - clientHeight;
      const isHand = performance.now() - state.current.hand < handMs;
      const isUp = scrollTop < state.current.top;
      state.current.top = scrollTop;
      const isSettling = performance.now() - state.current.ended < handMs;
      if (state.current.isFollowing && isHand && isUp && left > letGoAt) setFollowing(false);
      else if (state.current.isFollowing && isWanted && !isHand && isSettling && left > holdAt) toEnd();
      else if (!state.current.isFollowing && isHand && !isUp && left < holdAt && isWanted) setFollowing(true);
    };
    const hands = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'pointermove'] as const;
    const moved = (event: Event): void => {
      if (isScrolling(event)) touched();
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
    // The page grows with new text, and again when the true heights of new rows are known.
    const grown = new ResizeObserver(toEnd);
    grown.observe(document.body);
    return () => grown.disconnect();
  }, [isFollowing, isWanted]);

  return { isFollowing, setFollowing };
}
