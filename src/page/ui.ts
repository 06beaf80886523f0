/** The packages that the page is built with; nothing else imports them directly. */
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
