import { createRedactor, definePlugin, rewrite } from 'hookscope';

/** The value with another text in place of each of its texts; the value itself where nothing changes. */
function mapTexts(value, map) {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]));
}

/** Masks secrets in what tools answer, before the model reads it: by what they look like, as hookscope masks its own records. */
export default definePlugin({
  name: 'hookscope-plugin-mask-outputs',
  apply(scope) {
    const redactor = createRedactor();
    scope.on('PostToolUse', ({ tool_response }) => {
      const masked = mapTexts(tool_response, (text) => redactor.text(text));
      return JSON.stringify(masked) === JSON.stringify(tool_response) ? undefined : rewrite(masked);
    });
  },
});
