/** The tables of a report in CSV; the first is what `--format csv` prints unless another is asked for. */
export const sectionNames = ['violations', 'drift', 'accepted', 'coverage', 'controls'] as const
export type CsvSection = (typeof sectionNames)[number]
