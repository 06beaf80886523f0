/** A sentence that ends twice: our full stop behind the one that a text brought along. Three dots are three dots. */
export const DOUBLE_STOP = /(?:[?!…]|(?<!\.\.)\.)\.(?=[\s)"]|$)(?<!\.\.\.)/m;

/** The same around the end of a quotation. */
export const QUOTED_STOP = /[.?!…]["'”’»]\.(?=\s|$)/m;

/** How texts end that are put into sentences of ours. */
export const ENDS = ['', '.', '..', '...', '. ', '.\n', '?', '!', '?!', '…', '."', '?"', "!'", '.”', '…»', ')', '.)'];
