// Nothing but what every page has.
import "./room.js";
