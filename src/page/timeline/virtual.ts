import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import { type Signal, useEffect, useMemo, useSignal } from '../ui.js';

/** A length for a style, which takes no bare numbers. */
export const px = (length: number): string => `${length}px`;

export interface VirtualWindow {
  readonly items: readonly VirtualItem[];
  readonly total: number;
  readonly scrolled: number;
  scrollTo(index: number): void;
}

/** An element as a signal, and the ref function that sets it: always the same function, since a new one would clear and set it at every render. */
export function useElement(): readonly [Signal<HTMLElement | null>, (element: HTMLElement | null) => void] {
  const found = useSignal<HTMLElement | null>(null);
  const fill = useMemo(
    () => (element: HTMLElement | null) => {
      found.value = element;
    },
    [],
  );
  return [found, fill];
}

/** The visible part of a long list. `scroller` is set once it is mounted. */
export function useWindow(
  count: number,
  size: number,
  scroller: Signal<HTMLElement | null>,
  padding = 0,
): VirtualWindow {
  const turned = useSignal(0);
  const found = scroller.value;
  const one = useMemo(
    () =>
      new Virtualizer<HTMLElement, HTMLElement>({
        count: 0,
        getScrollElement: () => scroller.peek(),
        estimateSize: () => size,
        overscan: 6,
        paddingStart: padding,
        observeElementRect,
        observeElementOffset,
        scrollToFn: elementScroll,
        onChange: () => {
          turned.value += 1;
        },
      }),
    [],
  );
  turned.value;
  one.setOptions({ ...one.options, count });
  useEffect(() => one._didMount(), []);
  useEffect(() => one._willUpdate(), [found, count]);
  return {
    items: found === null ? [] : one.getVirtualItems(),
    total: one.getTotalSize(),
    scrolled: one.scrollOffset ?? 0,
    scrollTo: (index) => one.scrollToIndex(index, { align: 'auto' }),
  };
}
