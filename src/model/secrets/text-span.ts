/** A stretch of a text: from its first character up to, not including, `to`. */
export interface TextSpan {
  readonly from: number
  readonly to: number
}

/** Spans in order, without overlap. */
export function mergeSpans(spans: readonly TextSpan[]): readonly TextSpan[] {
  if (spans.length < 2) return spans
  const merged: TextSpan[] = []
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1)
    if (last === undefined || span.from >= last.to) merged.push(span)
    else if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to }
  }
  return merged
}
