/** The server marks the page when it was asked for without a valid session, so that nothing has to be refused. */
const mark = 'meta[name="flagstone-session"][content="none"]';

let isKnownToBeNobody = document.querySelector(mark) !== null;

/** Whether nobody is signed in, as far as the page tells. A page without a mark tells nothing. */
export const isNobody = () => isKnownToBeNobody;

/** Notes that somebody has signed in on this page. */
export function enterSession() {
  isKnownToBeNobody = false;
}
