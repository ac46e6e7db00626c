/** A model that has nothing to say answers with this word alone; nobody ever sees it (TU-8). */
const SILENT_REPLY = 'NO_REPLY';

/** What of an answer may be shown: '' when it is a silent reply, in any case and with blanks around it. */
export function visibleText(text: string): string {
  return text.trim().toUpperCase() === SILENT_REPLY ? '' : text;
}

/** Whether a text still being streamed may turn out to be a silent reply. */
export function mayBeSilent(text: string): boolean {
  return SILENT_REPLY.startsWith(text.trim().toUpperCase());
}
