/** What the page is made with: the one place where these packages are named. */
export {
  batch,
  computed,
  type Signal,
  signal,
  useComputed,
  useSignal,
} from '@preact/signals';
export { render } from 'preact';
export { useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
